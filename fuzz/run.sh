#!/usr/bin/env bash
# Fuzzes each target for some seconds, guided by coverage, on stable Rust, and prints a row of a table for each:
#
#   fuzz/run.sh SECONDS [TARGET...]
#
# What it finds new goes to target/found/TARGET, what fails to target/crashes/TARGET: then the last lines of the log are
# shown, and the exit status is 1.
set -euo pipefail

[ $# -gt 0 ] || {
    sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}
seconds="$1"
shift
cd "$(dirname "${BASH_SOURCE[0]}")"
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for source in fuzz_targets/*.rs; do
        targets+=("$(basename "$source" .rs)")
    done
fi

# With a target named, the flags are not for build scripts and macros. The release profile keeps assertions and checks
# of overflow.
triple="$(rustc -vV | sed -n 's/^host: //p')"
export RUSTFLAGS="${RUSTFLAGS:-} -C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=4 \
-C llvm-args=-sanitizer-coverage-inline-8bit-counters -C llvm-args=-sanitizer-coverage-pc-table \
-C llvm-args=-sanitizer-coverage-trace-compares"
bins=()
for target in "${targets[@]}"; do
    bins+=(--bin "$target")
done
cargo build --locked --release --target "$triple" --target-dir target/coverage "${bins[@]}" >&2
programs="$PWD/target/coverage/$triple/release"

echo "| target | executions | seconds | edges covered | features | corpus | crashes |"
echo "|---|---|---|---|---|---|---|"
failed=0
for target in "${targets[@]}"; do
    found="target/found/$target" crashes="target/crashes/$target" log="target/$target.log"
    mkdir -p "$found" "$crashes"
    before="$(find "$crashes" -type f | wc -l)"
    status=0
    "$programs/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$crashes/" "$found" "corpus/$target" >"$log" 2>&1 || status=$?
    new=$(($(find "$crashes" -type f | wc -l) - before))
    # The last line of progress: "#123 REDUCE cov: 1 ft: 2 corp: 3/4b ...".
    last="$(grep -E '^#[0-9]+.* cov: ' "$log" | tail -n 1 || true)"
    number() { sed -n "s/.* $1: \([0-9]*\).*/\1/p" <<<"$last"; }
    executions="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    took="$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$log")"
    echo "| $target | ${executions:-?} | ${took:-stopped early} | $(number cov) | $(number ft) | $(number corp) | $new |"
    if [ "$status" -ne 0 ]; then
        failed=1
        tail -n 40 "$log" >&2
    fi
done
exit "$failed"
