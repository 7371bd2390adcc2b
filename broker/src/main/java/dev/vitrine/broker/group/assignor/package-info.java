/**
 * The server-side assignors of consumer groups (KIP-848): who owns which partition, decided by the
 * coordinator. Pure functions of their input, on whichever thread: they know no group, no clock and
 * no chance, and the same input always gives the same output.
 */
package dev.vitrine.broker.group.assignor;
