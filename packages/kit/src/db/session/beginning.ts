type Send = (text: string, values: unknown[]) => Promise<unknown>

/** Sender of the statements of a connection. It delays `begin` until the first statement. */
export interface Sender {
  begin: () => void
  /** Sends a pending `begin`. */
  begun: () => Promise<void>
  /** Drops a pending `begin`, and returns whether one was pending. */
  forget: () => boolean
  /**
   * Sends a statement. A text without values may contain several statements and returns the result of the last one; a
   * pending `begin` is added to it.
   */
  send: Send
}

/** Creates a sender, which saves a round trip for each transaction whose first statement has no values. */
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
