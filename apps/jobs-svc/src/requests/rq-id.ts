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
  subresource?: Subresource
}

/** The public id of a request: `key=value` pairs in the order of `spec/api-annotations.md` 2.6. */
export function rqIdOf(parts: RqIdParts): string {
  const { action, target, target_id, uuid, user_id, format, subresource } = parts
  const what = uuid === undefined ? { target_id } : { id: uuid }
  const pairs = Object.entries({ action, target, ...what, user_id, format, subresource })
  return pairs
    .flatMap(([key, value]) => (value === undefined ? [] : `${key}=${readable(value)}`))
    .join('&')
}

const readable = (value: string | number) => String(value).replaceAll(' ', '_').replaceAll('.', '~')
