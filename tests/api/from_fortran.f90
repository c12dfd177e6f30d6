! SPDX-License-Identifier: Apache-2.0
program from_fortran
  use weir
  implicit none
  interface
    integer(c_int) function open_c(path, flags, mode) bind(c, name='open')
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: flags, mode
    end function
  end interface
  integer, parameter :: create_read_write_truncate = int(o'1102')
  character(kind=c_char), target :: sent(5) = ['h', 'e', 'l', 'l', 'o'], got(5) = ' '
  integer(c_int) :: fd
  if (weir_init(c_null_ptr) /= 0) stop 1
  fd = open_c('/var/tmp/weir_fortran_test'//c_null_char, create_read_write_truncate, int(o'600', c_int))
  if (fd < 0) stop 2
  if (weir_pwrite(fd, c_loc(sent), 5_c_size_t, 0_c_long) /= 5) stop 3
  if (weir_pread(fd, c_loc(got), 5_c_size_t, 0_c_long) /= 5) stop 4
  if (any(got /= sent)) stop 5
  if (weir_sleep(1000000_c_int64_t) /= 0) stop 6
  if (weir_pread(-1_c_int, c_loc(got), 1_c_size_t, 0_c_long) >= 0) stop 7
  if (weir_close() /= 0) stop 8
end program
