/** Remaining allowance, and the end of its window in Unix milliseconds. */
export interface Allowance {
  isUsedUp: boolean
  remaining: number
  ends: number
}

export interface WindowCounter {
  peek(key: string): Allowance
  /** Counts one use unless the allowance is used up. `giveBack` reverts it. */
  take(key: string): Allowance & { giveBack: () => void }
}

interface Window {
  count: number
  ends: number
}

/** Maximum number of keys, at about 150 bytes each: 3 MB. */
const defaultCapacity = 20_000

/**
 * Creates a counter of uses by key in windows of fixed length, which start with the first use. Memory is bounded:
 * above `capacity` keys the oldest window is dropped.
 */
export function createWindowCounter(
  max: number,
  lengthMs: number,
  capacity = defaultCapacity,
): WindowCounter {
  const windows = new Map<string, Window>() // in the order of their start

  const find = (key: string): Window | undefined => {
    const window = windows.get(key)
    return window && window.ends > Date.now() ? window : undefined
  }
  const open = (key: string): Window => {
    windows.delete(key)
    const [oldest] = windows.keys()
    if (oldest !== undefined && windows.size >= capacity) windows.delete(oldest)
    const window = { count: 0, ends: Date.now() + lengthMs }
    windows.set(key, window)
    return window
  }
  const allowanceOf = ({ count, ends }: Window) => ({ remaining: Math.max(0, max - count), ends })

  return {
    peek(key) {
      const window = find(key) ?? { count: 0, ends: Date.now() + lengthMs }
      return { ...allowanceOf(window), isUsedUp: window.count >= max }
    },
    take(key) {
      const window = find(key) ?? open(key)
      const isUsedUp = window.count >= max
      if (!isUsedUp) window.count++
      const giveBack = () => {
        if (!isUsedUp) window.count--
      }
      return { ...allowanceOf(window), isUsedUp, giveBack }
    },
  }
}
