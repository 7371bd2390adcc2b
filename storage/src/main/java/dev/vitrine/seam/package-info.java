/**
 * The seams: {@link dev.vitrine.seam.Shard}, {@link dev.vitrine.seam.Disk} and {@link
 * dev.vitrine.seam.Network}. All logic stands above them and runs unchanged on the real ones and on
 * the simulated ones.
 */
package dev.vitrine.seam;
