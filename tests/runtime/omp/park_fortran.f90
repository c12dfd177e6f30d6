! SPDX-License-Identifier: Apache-2.0
! What Fortran has of its own: workshare, and the names with an underscore.
program park_fortran
  use omp_lib
  implicit none
  integer :: i, total, small, seen, held
  integer(omp_lock_kind) :: lock
  integer :: a(60), b(60)
  interface
    integer(4) function usleep(microseconds) bind(c)
      use iso_c_binding
      integer(c_int), value :: microseconds
    end function
  end interface
  total = 0
  !$omp parallel do schedule(static) reduction(+:total) private(seen)
  do i = 1, 60
    seen = usleep(50)
    total = total + i
  end do
  !$omp end parallel do
  print '(a,i0)', 'do ', total
  held = 0
  call omp_init_lock(lock)
  !$omp parallel do schedule(dynamic) private(seen)
  do i = 1, 60
    call omp_set_lock(lock)
    seen = usleep(50)
    held = held + i
    call omp_unset_lock(lock)
  end do
  !$omp end parallel do
  call omp_destroy_lock(lock)
  print '(a,i0)', 'held ', held
  a = 2
  !$omp parallel workshare
  b = a * 3
  a = b + 1
  !$omp end parallel workshare
  print '(a,i0,1x,i0)', 'workshare ', sum(a), sum(b)
  small = 0
  !$omp parallel private(seen) reduction(+:small)
  seen = usleep(50)
  if (omp_get_num_threads() > omp_get_max_threads()) small = 1
  !$omp end parallel
  print '(a,i0)', 'beyond ', small
  call omp_set_num_threads(3)
  !$omp parallel private(seen)
  seen = usleep(50)
  !$omp single
  print '(a,i0,1x,i0)', 'three ', omp_get_num_threads(), omp_get_max_threads()
  !$omp end single
  !$omp end parallel
end program
