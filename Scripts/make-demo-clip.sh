#!/usr/bin/env bash
# Generates Sources/CMediaCacheDemo/demo-clip.mp4 with ffmpeg: one minute of a clock.
#
# The color and the tone change every ten seconds, so that a wrong seek is visible and audible. The index (`moov`) is
# at the end of the file, as with most encoders: a player must seek to it first and then back, which the demo shows. The
# file is part of the repository; run this script only to change the clip.
set -euo pipefail

cd "$(dirname "$0")/.."
output=${1:-Sources/CMediaCacheDemo/demo-clip.mp4}
limit=$((2 * 1024 * 1024))
font="font=DejaVuSansMono-Bold"

# The background changes every ten seconds. The bar at the bottom grows from left to right over the minute.
scenes=""
labels=""
index=0
for colors in 0x14213d:0x2a6f97 0x1b4332:0x40916c 0x3c096c:0x9d4edd 0x6a040f:0xd00000 0x5f370e:0xe09f3e 0x0b2545:0x13a89e; do
    from=${colors%%:*}
    to=${colors##*:}
    scenes+="gradients=s=640x360:r=24:d=10:c0=$from:c1=$to:x0=0:y0=0:x1=640:y1=360:nb_colors=2:speed=0.005[s$index];"
    labels+="[s$index]"
    index=$((index + 1))
done

video="${scenes}${labels}concat=n=6:v=1:a=0,\
drawtext=$font:fontsize=132:fontcolor=white:borderw=3:bordercolor=black@0.35:x=(w-tw)/2:y=86:\
text='%{eif\\:floor(t)\\:d\\:2}.%{eif\\:mod(floor(t*10)\\,10)\\:d}',\
drawtext=$font:fontsize=22:fontcolor=white@0.85:x=(w-tw)/2:y=232:text='seconds of 60   frame %{n}'[clock];\
color=c=white@0.18:s=560x10:r=24:d=60,format=rgba[track];\
color=c=white:s=560x10:r=24:d=60,format=rgba[bar];\
color=c=white:s=26x26:r=24:d=60,format=rgba,geq=r=255:g=255:b=255:\
a='255*clip(13.5-hypot(X-12.5\\,Y-12.5)\\,0\\,1)'[ball];\
[clock][track]overlay=x=40:y=300[base];\
[bar]geq=r=255:g=255:b=255:a='255*lte(X\\,560*T/60)'[grown];\
[base][grown]overlay=x=40:y=300[lined];\
[lined][ball]overlay=x='27+560*t/60':y=292:eval=frame,format=yuv420p[v]"

# A swelling chord that rises by a step every ten seconds, with a short tick on each full second.
tone="pow(2\\,floor(t/10)*2/12)"
audio="0.10*(sin(2*PI*220*$tone*t)+0.6*sin(2*PI*330*$tone*t)+0.4*sin(2*PI*440*$tone*t))\
*(0.65+0.35*sin(2*PI*t/5))*min(1\\,mod(t\\,10)*8)*min(1\\,(10-mod(t\\,10))*8)\
+0.25*sin(2*PI*1320*t)*exp(-mod(t\\,1)*60)"

ffmpeg -hide_banner -loglevel error -y \
    -filter_complex "$video" \
    -f lavfi -i "aevalsrc=exprs='$audio':s=48000:c=mono:d=60" \
    -map '[v]' -map 0:a -t 60 \
    -c:v libx264 -profile:v main -level 3.0 -preset veryslow -b:v 175k -maxrate 400k -bufsize 1200k \
    -g 48 -keyint_min 24 -pix_fmt yuv420p -color_primaries bt709 -color_trc bt709 -colorspace bt709 \
    -c:a aac -b:a 64k \
    -map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact \
    -f mp4 "$output"

size=$(wc -c <"$output")
if ((size > limit)); then
    echo "make-demo-clip: $output has $size bytes, more than the limit of $limit" >&2
    exit 1
fi
echo "$output: $size bytes"
