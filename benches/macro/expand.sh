#!/bin/sh
# The compiler with the unstable option that prints the expanded source. As a wrapper for the crates of this workspace alone:
# set for all of cargo, the variable would build every dependency anew.
RUSTC_BOOTSTRAP=1 exec "$@"
