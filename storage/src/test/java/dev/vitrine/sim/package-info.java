/**
 * The simulated seams: one world, on one thread, from one seed. {@link dev.vitrine.sim.SimWorld}
 * holds time and chance, {@link dev.vitrine.sim.SimShard} a node's event loop, {@link
 * dev.vitrine.sim.SimDisk} a node's files and what a power cut leaves of them, {@link
 * dev.vitrine.sim.SimNetwork} the wires between them.
 */
package dev.vitrine.sim;
