import { restOperations } from '@reticle/contracts/api/index'
import { ApiError, type Client, type ClientOptions, createClient } from '@reticle/sdk'

/** Which operations were called by the SDK, and with which status each was answered. */
export type Seen = Map<string, Set<number>>

const names = new Set(restOperations.map(({ name }) => name))

/** A client whose calls are written down under the names of its methods. */
export function recorded(options: ClientOptions, seen: Seen): Client {
  const statuses: { last: number } = { last: 0 }
  const fetch: typeof globalThis.fetch = async (address, init) => {
    const answer = await globalThis.fetch(address, init)
    statuses.last = answer.status
    return answer
  }
  const note = (name: string, status: number) =>
    seen.set(name, new Set([...(seen.get(name) ?? []), status]))
  return new Proxy(createClient({ ...options, fetch }), {
    get(client, name, receiver) {
      const method: unknown = Reflect.get(client, name, receiver)
      if (typeof name !== 'string' || !names.has(name) || typeof method !== 'function')
        return method
      return new Proxy(method, {
        async apply(call, self, given) {
          try {
            const answer: unknown = await Reflect.apply(call, self, given)
            note(name, statuses.last)
            return answer
          } catch (thrown) {
            if (thrown instanceof ApiError) note(name, thrown.status)
            throw thrown
          }
        },
      })
    },
  })
}
