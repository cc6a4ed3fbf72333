#!/usr/bin/env bash
# Under Open MPI: one file per rank, selection of ranks, merge.
#   mpi_soft.sh KREPLAY LAUNCHES CODE_OBJECT
set -uo pipefail
. "$(dirname "$0")/expect.sh"
command -v mpirun >/dev/null || { echo "skipped: mpirun is not installed (Debian: openmpi-bin)"; exit 77; }
# Processes of one machine, without daemons, remote shells or a network.
export OMPI_MCA_btl=self OMPI_MCA_plm_rsh_agent=false OMPI_MCA_plm=isolated OMPI_MCA_rmaps_base_oversubscribe=1
job=(mpirun -n 3)
[ "$(id -u)" -ne 0 ] || job+=(--allow-run-as-root)

# kreplay in each rank.
expect 0 "results in $folder/run.r2.jsonl" "${job[@]}" "$kreplay" run --device soft --quiet --passes 2 -o "$folder/run.jsonl" -- "$program" 1 rank
for rank in 0 1 2; do
  same "$((rank + 1))" "$(grep -c '"outcome":"replayed"' "$folder/run.r$rank.jsonl")" "launches of rank $rank"
  expect 0 "" grep -q "\"rank\":$rank," "$folder/run.r$rank.jsonl"
done

# Only one rank, and a file name with a place for it.
expect 0 "" "${job[@]}" "$kreplay" run --device soft --quiet --passes 2 --ranks 1 -o "$folder/one-%r.jsonl" -- "$program" 1
same "$folder/one-1.jsonl" "$(ls "$folder"/one-*)" "files with --ranks 1"

# kreplay around the job.
expect 0 "" "$kreplay" run --device soft --quiet --passes 2 --ranks 0,2 -o "$folder/all-%r.jsonl" -- "${job[@]}" "$program" 1
same "$folder/all-0.jsonl $folder/all-2.jsonl" "$(echo "$folder"/all-*)" "files with --ranks 0,2"
expect 125 "left out by --ranks" "$kreplay" run --device soft --quiet --ranks 7 -- "${job[@]}" "$program" 1

# One rank fails: the job's status is its own.
expect 9 "" "$kreplay" run --device soft --quiet --passes 2 -- "${job[@]}" sh -c "'$program' 1; exit 9"

expect 0 "3 files merged" "$kreplay" merge -o "$folder/job.jsonl" "$folder"/run.r2.jsonl "$folder"/run.r0.jsonl "$folder"/run.r1.jsonl
same "0 1 2 " "$(sed -n 's/.*"rank":\([0-9]*\).*/\1/p' "$folder/job.jsonl" | tr '\n' ' ')" "order of a merged file"
expect 0 count_up "$kreplay" report "$folder/job.jsonl"

# Outside of a job --ranks cannot select anything.
expect 125 "it is no rank of a parallel job" "$kreplay" run --device soft --ranks 0 -- "$program" 1
exit $failed
