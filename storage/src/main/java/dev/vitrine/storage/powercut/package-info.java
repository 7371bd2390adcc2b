/**
 * The power cut: a disk that keeps a ledger of what was synced ({@link
 * dev.vitrine.storage.powercut.PowerCutDisk}), and what puts a dead node's files back to that
 * ({@link dev.vitrine.storage.powercut.PowerCut}). Only for clusters that are made to be broken
 * ({@code vitrine.faults}).
 */
package dev.vitrine.storage.powercut;
