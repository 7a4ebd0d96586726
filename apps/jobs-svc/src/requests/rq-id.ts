import { createHash } from 'node:crypto'
import type { Action, Subresource, Target } from './work.ts'

export interface RqIdParts {
  action: Action
  target: Target
  target_id: number
  /** Names what belongs to no object, in place of its id. */
  uuid?: string
  /** Exports are a user's own; imports and creations are one per object. */
  user_id?: number
  format?: string
  /** Of a backup; absent where it is not. */
  lightweight?: 'True'
  subresource?: Subresource
  /** Tells requests apart whose wishes have no word of their own: `optionsOf`. */
  options?: string | undefined
}

/** The public id of a request: `key=value` pairs in the order of `spec/api-annotations.md` 2.6. */
export function rqIdOf(parts: RqIdParts): string {
  const { action, target, target_id, uuid, user_id, format } = parts
  const { lightweight, subresource, options } = parts
  const what = uuid === undefined ? { target_id } : { id: uuid }
  const words = { action, target, ...what, user_id, format, lightweight, subresource, options }
  const pairs = Object.entries(words)
  return pairs
    .flatMap(([key, value]) => (value === undefined ? [] : `${key}=${readable(value)}`))
    .join('&')
}

const readable = (value: string | number) => String(value).replaceAll(' ', '_').replaceAll('.', '~')

/**
 * Eight hexadecimal digits that stand for wishes in an id (`spec/api-annotations.md` 2.6); nothing where nothing is wished. What
 * was not given, is empty or is `false` is no wish.
 */
export function optionsOf(wishes: Record<string, unknown>): string | undefined {
  const given = Object.entries(wishes).filter(([, value]) => isWish(value))
  if (given.length === 0) return undefined
  const text = JSON.stringify(given.sort(([a], [b]) => (a < b ? -1 : 1)))
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

function isWish(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== false
}
