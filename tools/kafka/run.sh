# shellcheck shell=bash
# Sourced by the script `vitrine` for kafka-* commands: gets Apache Kafka's tools once, then becomes their JVM.

kafka_version=$(sed -n 's/.*<kafka.version>\(.*\)<.*/\1/p' "$root/pom.xml")
kafka_dir=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/vitrine/kafka-tools-$kafka_version

# Into a folder of its own first, so that what was cut short is never taken for the whole.
fetch_kafka_tools() {
  require_build_tools
  echo "vitrine: getting Apache Kafka $kafka_version's own tools, this once (into $kafka_dir)" >&2
  local fresh=$kafka_dir.$$ log=$state/kafka-tools.log
  mkdir -p "$fresh" "$state"
  if ! mvn -B -f "$root/tools/kafka/pom.xml" "-Dkafka.tools.directory=$fresh" package >"$log" 2>&1 </dev/null; then
    rm -rf "$fresh"
    grep -m 1 -E '^\[ERROR\]' "$log" >&2 || tail -n 6 "$log" >&2
    die "they could not be had; the whole log is $log"
  fi
  mv "$fresh" "$kafka_dir" 2>/dev/null || rm -rf "$fresh" # another one was first
}

[ -f "$kafka_dir/kafka.classpath" ] || fetch_kafka_tools
class_path "$kafka_dir/kafka.classpath" "$kafka_dir"

# Most of a tool's time goes into loading classes. Its first run leaves an archive of them as it ends, which counts once
# that process is gone. (The JVM writes an archive's header last, and takes none without.)
tool=${1##*/}
archive=$state/archives/jdk-$jdk/$tool.jsa
cds=-XX:SharedArchiveFile=$archive
if [ ! -f "$archive" ]; then
  cds=
  for fresh in "$archive".new.*; do
    [ -f "$fresh" ] || continue
    if ! kill -0 "${fresh##*.}" 2>/dev/null && mv "$fresh" "$archive" 2>/dev/null; then
      cds=-XX:SharedArchiveFile=$archive
    fi
  done
  case " $* " in
    " $tool " | *" --help "* | *" --version "*) ;; # it would only have learned how to print its help
    *) [ -n "$cds" ] || ! mkdir -p "${archive%/*}" 2>/dev/null || cds=-XX:ArchiveClassesAtExit=$archive.new.$$ ;;
  esac
fi

# A tool that is to be fast over minutes needs the optimising compiler; the others need a fast start.
case $tool in
  *-perf-test | *-latency | kafka-verifiable-*) tier=4 ;;
  *) tier=1 ;;
esac

# shellcheck disable=SC2086 # options are words
exec "$java" "@$launch/kafka.options" -XX:TieredStopAtLevel=$tier $cds ${KAFKA_OPTS:-} \
  "-Dvitrine.state=$state" "-Dlogback.configurationFile=$root/tools/kafka/logback.xml" \
  -cp "$class_path:$target/vitrine-tools.jar" dev.vitrine.tools.kafka.Launch "$@"
