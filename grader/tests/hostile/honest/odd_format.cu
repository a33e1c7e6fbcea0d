// verdict: accepted
// lab: 00
// Code in an unusual format: one column, no spaces, braces everywhere, names of one letter.
// clang-format off
#include "common/contracts/saxpy.h"
  #  include   "common/check.h"
__global__
void
k (const float*x,const float*y,int n,float a,float*o)
{
	int
	i
	=blockIdx.x*blockDim.x+threadIdx.x ;;
	if(i<n){{{o[i]=a*x[i]+y[i];}}}
}
#define CC(...) do{CUDA_CHECK((__VA_ARGS__));}while(0)
float saxpy(const float*x,const float*y,int n,float a,float*out){if(!n)return 0;float*d[3];for(auto&p:d)CC(cudaMalloc(&p,n*4ul));
CC(cudaMemcpy(d[0],x,n*4ul,cudaMemcpyHostToDevice));CC(cudaMemcpy(d[1],y,n*4ul,cudaMemcpyHostToDevice));cudaEvent_t s,e;CC(cudaEventCreate(&s));
CC(cudaEventCreate(&e));CC(cudaEventRecord(s));k<<<(n+127)/128,128>>>(d[0],d[1],n,a,d[2]);CC(cudaGetLastError());CC(cudaEventRecord(e));
CC(cudaMemcpy(out,d[2],n*4ul,cudaMemcpyDeviceToHost));float t=0;CC(cudaEventElapsedTime(&t,s,e));for(auto v:{s,e})CC(cudaEventDestroy(v));
for(auto p:d)CC(cudaFree(p));return t;}
