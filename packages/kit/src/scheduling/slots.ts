import { DomainError } from '../call/errors.ts'

export interface Slots<K> {
  /**
   * Takes a slot.
   * @throws DomainError `too_many` if the owner holds as many as allowed
   */
  take(owner: K): Slot
}

export interface Slot {
  isFree: boolean
  /** Frees the slot. May be called repeatedly. */
  free(): void
}

/**
 * Counts what each owner holds open in this process, such as streams.
 * @param refusal text, code and retry delay of the error at the limit
 */
export function createSlots<K>(
  most: number,
  refusal: { text: string; code: string; retry_after: number },
): Slots<K> {
  const taken = new Map<K, number>()
  return {
    take(owner) {
      const count = taken.get(owner) ?? 0
      const { text, ...failure } = refusal
      if (count >= most) throw new DomainError('too_many', text, failure)
      taken.set(owner, count + 1)
      return {
        isFree: false,
        free() {
          if (this.isFree) return
          this.isFree = true
          const left = (taken.get(owner) ?? 1) - 1
          if (left === 0) taken.delete(owner)
          else taken.set(owner, left)
        },
      }
    },
  }
}
