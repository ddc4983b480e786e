#!/usr/bin/env bash
# Prints the Homebrew formula of a release.
#
#   Scripts/render-formula.sh HOMEPAGE URL ARCHIVE
#
# URL is the address of the source, and ARCHIVE the same file on this machine, for its checksum.
set -euo pipefail

homepage=${1:?the homepage is missing}
url=${2:?the address of the source is missing}
archive=${3:?the archive of the source is missing}
template=$(dirname "$0")/../Packaging/homebrew/mediacache.rb

sum=$(python3 -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$archive")
# The comment before the class is about the template.
sed -e '/^class /,$!d' -e "s#@HOMEPAGE@#$homepage#" -e "s#@URL@#$url#" -e "s/@SHA256@/$sum/" "$template"
