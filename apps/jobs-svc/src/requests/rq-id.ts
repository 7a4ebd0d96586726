import { createHash } from 'node:crypto'
import type { Action, RequestTarget, Subresource } from '../work/request-work.ts'

export interface RqIdParts {
  action: Action
  target: RequestTarget
  target_id: number
  /** Random id in place of an object id, for requests without an object. */
  uuid?: string
  /** Set for exports, which are one per user; imports and creations are one per object. */
  user_id?: number
  format?: string
  /** Set for lightweight backups only. */
  lightweight?: 'True'
  subresource?: Subresource
  /** Hash of the options that have no own key in the id: `optionsOf`. */
  options?: string | undefined
}

/** Returns the public id of a request: `key=value` pairs in a fixed order (docs/spec/requests.md#request-records). */
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
 * Returns eight hexadecimal digits that stand for the options in an id; undefined without options. Options that are
 * absent, empty or `false` do not count.
 */
export function optionsOf(values: Record<string, unknown>): string | undefined {
  const entries = Object.entries(values).filter(([, value]) => isSet(value))
  if (entries.length === 0) return undefined
  const text = JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== false
}
