import { connect } from 'node:net'

/**
 * Returns the calls a second of one GET over `clients` keep-alive connections, with a client that uses little processor
 * time.
 */
export async function callsPerSecond(
  url: string,
  authorization: string,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<number> {
  const { hostname, port, pathname, search } = new URL(url)
  const request = [
    `GET ${pathname}${search} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: ${authorization}`,
    '\r\n',
  ].join('\r\n')
  const until = performance.now() + seconds * 1000
  const began = performance.now()
  const counts = await Promise.all(
    Array.from({ length: clients }, () => callUntil(until, request, hostname, Number(port))),
  )
  const total = counts.reduce((sum, count) => sum + count, 0)
  return total / ((performance.now() - began) / 1000)
}

const headEnd = Buffer.from('\r\n\r\n')

/** Makes one call after the other on one connection, reusing one buffer; returns their number. */
function callUntil(until: number, request: string, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0
    let missing = 0 // remaining bytes of the current answer
    const buffer = Buffer.alloc(64 * 1024)
    const take = (size: number) => {
      missing = missing === 0 ? lengthOf(buffer.subarray(0, size)) - size : missing - size
      if (missing > 0) return true
      count++
      if (performance.now() < until) socket.write(request)
      else {
        socket.end()
        resolve(count)
      }
      return true
    }
    const socket = connect({ host, port, onread: { buffer, callback: take } }, () =>
      socket.write(request),
    )
    socket.on('error', reject)
  })
}

/** Returns the bytes of a whole answer according to its head, which arrives in one piece. */
function lengthOf(piece: Buffer): number {
  const end = piece.indexOf(headEnd)
  const head = piece.toString('latin1', 0, end)
  const [, length] = /content-length: (\d+)/i.exec(head) ?? []
  if (!head.startsWith('HTTP/1.1 200') || !length) throw new Error(`an answer of ${head}`)
  return end + headEnd.length + Number(length)
}
