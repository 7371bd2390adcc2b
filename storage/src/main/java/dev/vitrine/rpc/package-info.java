/**
 * Requests to other nodes: typed, with a version both sides know, a time-out and one answer or
 * failure each. Stands on the {@link dev.vitrine.seam.Network} seam alone.
 */
package dev.vitrine.rpc;
