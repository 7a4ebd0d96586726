/**
 * Connects the messages of the bus to the slots of a worker: one message lets one free slot claim once. Messages are
 * taken only while a slot is free, so the consumer lag on the bus equals the number of waiting requests.
 */
export interface Doorbell {
  /** Records that a message was taken, and wakes a waiting slot. */
  ring: () => void
  /**
   * Waits until a message is assigned to this free slot, or `ms` have passed. True: a message; the slot is no longer
   * free.
   */
  wait: (ms: number) => Promise<boolean>
  /**
   * Records that a slot found a request. `isFree`: by polling, neither woken by a message nor coming from other work.
   */
  found: (isFree: boolean) => void
  /** Records that a slot found no request, and is free. */
  foundNothing: (isFree: boolean) => void
  /** Wakes all waiting slots and stops notifications. */
  close: () => void
}

interface State {
  /** Slots that neither work nor were woken. */
  free: number
  /** Messages that arrived while every free slot was polling. */
  kept: number
  /**
   * Requests found minus messages taken. Above 0, messages are taken and dropped: their requests were already found.
   */
  ahead: number
}

/**
 * Creates the doorbell of a worker.
 *
 * @param slots number of slots, all of them free
 * @param listen called with whether messages are wanted, at each change; initially they are
 */
export function openDoorbell(slots: number, listen: (isListening: boolean) => void): Doorbell {
  const waiting = new Set<(isRung: boolean) => void>()
  const state: State = { free: slots, kept: 0, ahead: 0 }
  let isListening = true
  let isClosed = false

  const change = (changes: Partial<State>) => {
    Object.assign(state, changes)
    const before = isListening
    isListening = state.free > state.kept || state.ahead > 0
    if (isListening !== before && !isClosed) listen(isListening)
  }
  const wait = (ms: number) =>
    new Promise<boolean>((resolve) => {
      const leave = (isRung: boolean) => {
        clearTimeout(timer)
        waiting.delete(leave)
        resolve(isRung)
      }
      const timer = setTimeout(() => leave(false), ms)
      waiting.add(leave)
    })

  return {
    ring: () => {
      const ahead = state.ahead - 1
      const [wake] = waiting
      wake?.(true)
      if (wake) change({ ahead, free: state.free - 1 })
      else change({ ahead, kept: Math.min(state.kept + 1, state.free) })
    },
    wait: async (ms) => {
      if (isClosed) return false
      if (state.kept === 0) return wait(ms)
      change({ kept: state.kept - 1, free: state.free - 1 })
      return true
    },
    found: (isFree) => {
      const ahead = state.ahead + 1
      if (!isFree) return change({ ahead })
      // A message that arrived meanwhile announced this request.
      change({ ahead, free: state.free - 1, kept: Math.max(0, state.kept - 1) })
    },
    foundNothing: (isFree) => change({ ahead: 0, free: state.free + Number(!isFree) }),
    close: () => {
      isClosed = true
      for (const leave of [...waiting]) leave(false)
    },
  }
}
