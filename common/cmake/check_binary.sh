#!/bin/sh
# check_binary.sh BINARY: a lab's binary is an ordinary CUDA program. It needs libcudart.so.13 and beyond it only what
# every C++ program needs, so that it runs on lockstep and on a card alike.
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "$needed"
echo "$needed" | grep -qx libcudart.so.13 || { echo "libcudart.so.13 is not among them"; exit 1; }
others=$(echo "$needed" | grep -vxE 'libcudart\.so\.13|lib(stdc\+\+|gcc_s|c|m)\.so\.[0-9]+|ld-linux.*')
[ -z "$others" ] || { echo "not expected: $others"; exit 1; }
