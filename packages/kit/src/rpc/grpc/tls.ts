import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js'

/** PEM files for mutual TLS between services: certificate and key of this service, and the authority of the others. */
export interface Tls {
  cert: Buffer
  key: Buffer
  ca: Buffer
}

/**
 * Returns the credentials of a client. Without certificates the network
 * itself must be trusted; calls are signed in any case.
 */
export function clientCredentials(tls: Tls | undefined): ChannelCredentials {
  return tls
    ? ChannelCredentials.createSsl(tls.ca, tls.key, tls.cert)
    : ChannelCredentials.createInsecure()
}

/** Returns the credentials of a server. With certificates, a client must present one of the same authority. */
export function serverCredentials(tls: Tls | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure()
  const pair = { private_key: tls.key, cert_chain: tls.cert }
  return ServerCredentials.createSsl(tls.ca, [pair], true)
}
