#!/usr/bin/env bash
# Writes the media that origin.py serves: a film of 12 s, and the same in segments of a second.
#
#   Packaging/checks/media.sh FOLDER
set -euo pipefail

cd "$1"
ffmpeg -nostdin -loglevel error -f lavfi -i testsrc2=duration=12:size=640x360:rate=25 -f lavfi -i sine=duration=12 \
    -c:v libx264 -preset ultrafast -b:v 4M -g 25 -c:a aac -movflags +faststart film.mp4
ffmpeg -nostdin -loglevel error -i film.mp4 -c copy -f segment -segment_time 1 -reset_timestamps 1 segment-%03d.ts
