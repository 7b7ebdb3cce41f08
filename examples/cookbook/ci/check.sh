#!/bin/sh
# Fails if the policy has a mistake or a warning, if a test fails, or if no test exercises a step.
set -eu
cd "$(dirname "$0")"
tamis check filters.toml --compile --deny warnings
tamis test filters.toml --deny untested
