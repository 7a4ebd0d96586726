/**
 * Returns the error for an address on which the server cannot listen: one sentence for the terminal that names the
 * remedy.
 */
export function toListenError(cause: unknown, host: string, port: number): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const sentence = sentences[code]?.(host, port)
  return sentence === undefined && cause instanceof Error ? cause : new Error(sentence, { cause })
}

const noSuchHost = (host: string) =>
  `${host} is no address of this machine: set RETICLE_HOST to one, such as 127.0.0.1, or 0.0.0.0 for all.`

const sentences: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use: stop the program that listens there, or choose another port with RETICLE_PORT (0 picks a free one).`,
  EACCES: (_, port) =>
    `This account may not listen on port ${port}: choose one above 1023 with RETICLE_PORT.`,
  EADDRNOTAVAIL: noSuchHost,
  ENOTFOUND: noSuchHost,
}
