#!/bin/sh
# What is done after a month: a picture of it in letters, and its figures.
#
#   post.sh FOLDER
set -eu
heat show "$1/state" >"$1/picture"
