#!/usr/bin/env bash
# What a curator wants to know each day: what changed in the list, which links broke, what the tool itself lacks.
#
#   scripts/curate.sh [LIST] [FOLDER]
#
# LIST is a path, an address or a GitHub repository (owner/name); without it the list of the home is taken.
# FOLDER, ./curation unless given, gets changes.json, report.md, report.json, fixed.md and doctor.json.
# The home is ACCELRAG_HOME. Exit code: 0 all is well, 1 the check found errors, 2 and more the list could not be had.
set -uo pipefail

list=${1:-}
out=${2:-curation}
mkdir -p "$out"
named=()
[ -n "$list" ] && named=(--list "$list")

if ! accelrag update "${named[@]}" --json >"$out/changes.json"; then
  cat "$out/changes.json" >&2
  exit 2
fi

accelrag check "${named[@]}" --report "$out/report.md" --fix "$out/fixed.md" --json >"$out/report.json"
found=$?
if [ ! -s "$out/report.md" ]; then
  cat "$out/report.json" >&2
  exit 2
fi

accelrag doctor --json >"$out/doctor.json" || echo "accelrag doctor found something: see $out/doctor.json" >&2
cat "$out/report.md"
exit "$found"
