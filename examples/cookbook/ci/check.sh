#!/bin/sh
# Fails if the policy has a mistake or a warning, if a test fails, if no test exercises a step, or if a step would fail or
# cut nothing.
set -eu
cd "$(dirname "$0")"
tamis check filters.toml --compile --deny warnings
tamis test filters.toml --deny untested --deny step-failed --deny step-no-original
