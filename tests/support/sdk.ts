import { type Client, createClient } from '@reticle/sdk'
import { password } from './reticle.ts'

/** Creates an SDK client of the administrator. */
export const sdkOf = (url: string, fetch?: typeof globalThis.fetch): Client =>
  createClient({ url, basic: { username: 'admin', password }, ...(fetch && { fetch }) })

/** Returns a `fetch` that counts sent and received bytes of chunks, and calls by kind. */
export function countingFetch() {
  const counted = { pieces: 0, bytes: 0, forms: 0 }
  const fetch: typeof globalThis.fetch = async (address, init) => {
    const answer = await globalThis.fetch(address, init)
    const isPiece = init?.method === 'PATCH' && init.body instanceof Uint8Array
    if (isPiece && answer.ok) {
      counted.pieces += 1
      counted.bytes += init.body instanceof Uint8Array ? init.body.length : 0
    }
    if (init?.body instanceof FormData) counted.forms += 1
    return answer
  }
  return { counted, fetch }
}
