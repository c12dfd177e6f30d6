// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/call_words.h"

asm(R"(
        .text
        .p2align 4
        .globl  weir_call_words
        .hidden weir_call_words
        .type   weir_call_words, @function
weir_call_words:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movq    %rdi, %r11
        movq    %rsi, %r10
        cmpq    $6, %rdx
        jbe     2f
        testq   $1, %rdx
        jz      1f
        subq    $8, %rsp
1:      pushq   -8(%r10,%rdx,8)
        decq    %rdx
        cmpq    $6, %rdx
        ja      1b
2:      movq    (%r10), %rdi
        movq    8(%r10), %rsi
        movq    16(%r10), %rdx
        movq    24(%r10), %rcx
        movq    32(%r10), %r8
        movq    40(%r10), %r9
        xorl    %eax, %eax
        call    *%r11
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   weir_call_words, .-weir_call_words
)");
