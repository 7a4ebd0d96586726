/** What remains of an allowance, and when its window ends (Unix milliseconds). */
export interface Allowance {
  isUsedUp: boolean
  remaining: number
  ends: number
}

export interface WindowCounter {
  peek(key: string): Allowance
  /** Counts one use, unless the allowance is used up. `giveBack` undoes that. */
  take(key: string): Allowance & { giveBack: () => void }
}

interface Window {
  count: number
  ends: number
}

/** At about 150 bytes each: 3 MB. */
const defaultCapacity = 20_000

/**
 * Counts uses by key in windows of fixed length, which begin with the first use. Memory is bounded: above `capacity` keys
 * the window that began first is dropped, so that a flood of new keys cannot grow it.
 */
export function windowCounter(
  max: number,
  lengthMs: number,
  capacity = defaultCapacity,
): WindowCounter {
  const windows = new Map<string, Window>() // in the order of their beginnings

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
