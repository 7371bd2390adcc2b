/**
 * KRaft: the replicated log of the cluster's metadata. {@link dev.vitrine.quorum.QuorumCore} is the
 * consensus as a value that knows nothing of files or sockets, {@link
 * dev.vitrine.quorum.QuorumDriver} performs what it asks for, and {@link
 * dev.vitrine.quorum.RaftClient} with {@link dev.vitrine.quorum.RaftListener} is what the
 * controller and the brokers see of it.
 */
package dev.vitrine.quorum;
