! SPDX-License-Identifier: Apache-2.0
! weir.h for Fortran 2003: the calls as they are, by iso_c_binding. Values >= 0, or -errno.
module weir
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function weir_init(options) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: options  ! c_null_ptr: WEIR_* variables and defaults
    end function
    integer(c_int) function weir_close() bind(c)
      import :: c_int
    end function
    integer(c_size_t) function weir_read(fd, to, bytes) bind(c)
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: fd
      type(c_ptr), value :: to
      integer(c_size_t), value :: bytes
    end function
    integer(c_size_t) function weir_pread(fd, to, bytes, offset) bind(c)
      import :: c_int, c_ptr, c_size_t, c_long
      integer(c_int), value :: fd
      type(c_ptr), value :: to
      integer(c_size_t), value :: bytes
      integer(c_long), value :: offset
    end function
    integer(c_size_t) function weir_write(fd, from, bytes) bind(c)
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: fd
      type(c_ptr), value :: from
      integer(c_size_t), value :: bytes
    end function
    integer(c_size_t) function weir_pwrite(fd, from, bytes, offset) bind(c)
      import :: c_int, c_ptr, c_size_t, c_long
      integer(c_int), value :: fd
      type(c_ptr), value :: from
      integer(c_size_t), value :: bytes
      integer(c_long), value :: offset
    end function
    integer(c_int) function weir_fsync(fd) bind(c)
      import :: c_int
      integer(c_int), value :: fd
    end function
    integer(c_int) function weir_sleep(ns) bind(c)
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: ns
    end function
  end interface
end module
