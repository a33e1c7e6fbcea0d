#!/bin/sh
# check_binary.sh BINARY OPENCL MAJOR: a lab's binary is an ordinary CUDA program. It needs libcudart.so.MAJOR and
# otherwise only the libraries of every C++ program, so that it runs on lockstep and on a card; and OpenCL's loader if
# OPENCL is TRUE.
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
expected="libcudart\.so\.$3|lib(stdc\+\+|gcc_s|c|m)\.so\.[0-9]+|ld-linux.*"
wanted=libcudart.so.$3
[ "$2" != TRUE ] || { expected="$expected|libOpenCL\.so\.1"; wanted="$wanted libOpenCL.so.1"; }
echo "$needed"
for library in $wanted; do
  echo "$needed" | grep -qx "$library" || { echo "$library is not among them"; exit 1; }
done
others=$(echo "$needed" | grep -vxE "$expected")
[ -z "$others" ] || { echo "not expected: $others"; exit 1; }
