import type { SetItemChange } from '../annotations/items.ts'
import { setBytes } from '../annotations/write.ts'
import type { Row } from './row.ts'
import type { RequestBody } from './send.ts'

/** Body of a call: JSON, a form, bytes, or a streamed annotation set. */
export interface EncodedBody {
  body: () => RequestBody
  type?: string
  /** Whether it can be created again for another attempt. */
  isRepeatable: boolean
}

const json = 'application/json'

export function writeBody({ files, media_type }: Row, given: unknown): EncodedBody | undefined {
  if (given === undefined) return undefined
  if (given instanceof FormData) return { body: () => given, isRepeatable: true }
  if (isBinary(given)) return { body: () => given, type: media_type ?? json, isRepeatable: true }
  if (isItems(given)) return writeItems(given)
  if (files && hasFiles(given)) {
    const form = formOf(given)
    return { body: () => form, isRepeatable: true }
  }
  const text = JSON.stringify(given)
  return { body: () => text, type: json, isRepeatable: true }
}

type SomeItems = AsyncIterable<SetItemChange> | Iterable<SetItemChange>

function writeItems(given: SomeItems | (() => SomeItems)): EncodedBody {
  if (typeof given === 'function')
    return { body: () => setBytes(given()), type: json, isRepeatable: true }
  return {
    body: () => setBytes(given),
    type: json,
    isRepeatable: Array.isArray(given), // other iterables may be used up after the first attempt
  }
}

const isBinary = (given: unknown): given is Blob | Uint8Array<ArrayBuffer> =>
  given instanceof Blob || given instanceof Uint8Array

const isItems = (given: unknown): given is SomeItems | (() => SomeItems) =>
  typeof given === 'function' ||
  (typeof given === 'object' &&
    given !== null &&
    (Symbol.asyncIterator in given || Symbol.iterator in given))

function hasFiles(given: unknown): given is Record<string, unknown> {
  if (typeof given !== 'object' || given === null) return false
  return Object.values(given).some((value) => listOf(value).some((one) => one instanceof Blob))
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** Converts members to form fields: lists as `name[0]`, nested objects as JSON. */
export function formOf(members: Record<string, unknown>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || value === null) continue
    const isList = Array.isArray(value)
    if (isList && value.every((one) => typeof one !== 'object' || one instanceof Blob))
      value.forEach((one, index) => {
        append(form, `${name}[${index}]`, one)
      })
    else append(form, name, value)
  }
  return form
}

function append(form: FormData, name: string, value: unknown): void {
  if (value instanceof Blob) form.append(name, value)
  else form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
}
