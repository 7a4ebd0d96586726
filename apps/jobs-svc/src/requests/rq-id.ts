import type { Action, Subresource, Target } from './work.ts'

export interface RqIdParts {
  action: Action
  target: Target
  target_id: number
  /** Exports are a user's own; imports and creations are one per object. */
  user_id?: number
  format?: string
  subresource?: Subresource
}

/** The public id of a request: `key=value` pairs in the order of `spec/api-annotations.md` 2.6. */
export function rqIdOf(parts: RqIdParts): string {
  const { action, target, target_id, user_id, format, subresource } = parts
  const pairs = Object.entries({ action, target, target_id, user_id, format, subresource })
  return pairs
    .flatMap(([key, value]) => (value === undefined ? [] : `${key}=${readable(value)}`))
    .join('&')
}

const readable = (value: string | number) => String(value).replaceAll(' ', '_').replaceAll('.', '~')
