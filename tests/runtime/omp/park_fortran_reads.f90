! SPDX-License-Identifier: Apache-2.0
! A loop that reads files, as Fortran does, beside one that computes: the run-time library keeps something
! for each thread, and the program does not; unless with DRAWS it draws random numbers, whose state that is.
program park_fortran_reads
  implicit none
  integer :: i, unit, status
  integer :: lengths(100)
  real :: drawn
  character(100) :: line
  interface
    integer(4) function usleep(microseconds) bind(c)
      use iso_c_binding
      integer(c_int), value :: microseconds
    end function
  end interface
  !$omp parallel do private(drawn)
  do i = 1, 100
    lengths(i) = i
#ifdef DRAWS
    call random_number(drawn)
    lengths(i) = lengths(i) + int(drawn)
#endif
  end do
  !$omp end parallel do
  !$omp parallel do schedule(dynamic) private(unit, status, line)
  do i = 1, 100
    open(newunit=unit, file='/proc/version', status='old', action='read', iostat=status)
    read(unit, '(a)', iostat=status) line
    close(unit)
    status = usleep(2000)
    lengths(i) = len_trim(line) * lengths(i)
  end do
  !$omp end parallel do
  print '(a,i0)', 'read ', sum(lengths)
end program
