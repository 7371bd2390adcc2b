/**
 * Logs in Apache Kafka's layout: {@link dev.vitrine.storage.Log} is one partition's, {@link
 * dev.vitrine.storage.LogDirectory} is one of {@code log.dirs}. Everything goes through {@link
 * dev.vitrine.seam.Disk}; {@link dev.vitrine.storage.NioDisk} is the real one.
 */
package dev.vitrine.storage;
