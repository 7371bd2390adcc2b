package dev.vitrine.compat.chaos;

import dev.vitrine.compat.Namespaces;

/** The wires between nodes in network namespaces: cut and narrowed by the kernel. */
record Wires(Namespaces namespaces) implements LineFaults {
  @Override
  public void cut(int one, int other) {
    namespaces.cut(one, other);
  }

  @Override
  public void heal(int one, int other) {
    namespaces.heal(one, other);
  }

  @Override
  public void slow(int node, int delayMs) {
    namespaces.slow(node, delayMs);
  }

  @Override
  public void fast(int node) {
    namespaces.fast(node);
  }
}
