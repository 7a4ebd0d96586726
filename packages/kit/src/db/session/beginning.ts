type Send = (text: string, values: unknown[]) => Promise<unknown>

/** Sends the statements of a connection; `begin` is not sent before there is something to do. */
export interface Sender {
  begin: () => void
  /** Sends a `begin` that waits. */
  begun: () => Promise<void>
  /** Forgets a `begin` that waits: whether there was one. */
  forget: () => boolean
  /** A text without values may be several statements, and answers the last of them: a `begin` that waits goes along. */
  send: Send
}

/** A round trip less for each transaction whose first statement has no values. */
export function openSender(plain: Send): Sender {
  let isWaiting = false
  const forget = () => {
    const was = isWaiting
    isWaiting = false
    return was
  }
  const begun = async () => {
    if (forget()) await plain('begin', [])
  }
  return {
    begin: () => {
      isWaiting = true
    },
    begun,
    forget,
    send: async (text, values) => {
      if (values.length === 0) return lastOf(await plain(forget() ? `begin; ${text}` : text, []))
      await begun()
      return plain(text, values)
    },
  }
}

const lastOf = (result: unknown) => (Array.isArray(result) ? result.at(-1) : result)
