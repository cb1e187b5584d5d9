**
xFP32"
shared_memory_regionr*
idsINT32*	
sFP322
y
classification:01234567:0123