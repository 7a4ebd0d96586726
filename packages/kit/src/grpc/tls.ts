import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js'

/** The PEM files by which services know each other: own certificate and key, and who signed those of the others. */
export interface Tls {
  cert: Buffer
  key: Buffer
  ca: Buffer
}

/** Without certificates a network is trusted to carry what the internal keys sign. */
export function clientCredentials(tls: Tls | undefined): ChannelCredentials {
  return tls
    ? ChannelCredentials.createSsl(tls.ca, tls.key, tls.cert)
    : ChannelCredentials.createInsecure()
}

/** With certificates a client must show one that the same authority has signed. */
export function serverCredentials(tls: Tls | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure()
  const pair = { private_key: tls.key, cert_chain: tls.cert }
  return ServerCredentials.createSsl(tls.ca, [pair], true)
}
