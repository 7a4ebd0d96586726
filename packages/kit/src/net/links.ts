import { isLink } from '@reticle/contracts/rest/common'
import type { z } from 'zod'

type Change = (value: unknown, base: string) => unknown

const cache = new WeakMap<z.core.$ZodType, Change>()
const same: Change = (value) => value

/**
 * Makes the keys that a schema declares as `link` absolute: services
 * return paths, and only the gateway knows the origin.
 */
export function toAbsoluteLinks(schema: z.core.$ZodType, value: unknown, base: string): unknown {
  return changeOf(schema)(value, base)
}

/** Returns true if a schema declares a link. */
export const hasLinks = (schema: z.core.$ZodType): boolean => changeOf(schema) !== same

function changeOf(schema: z.core.$ZodType): Change {
  const known = cache.get(schema)
  if (known) return known
  cache.set(schema, (value, base) => build(schema)(value, base)) // a shape may be recursive
  const change = build(schema)
  cache.set(schema, change)
  return change
}

function build(schema: z.core.$ZodType): Change {
  if (isLink(schema)) return (value, base) => (typeof value === 'string' ? base + value : value)
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return objectChange(def.shape)
    case 'array':
      return listChange(changeOf(def.element))
    case 'optional':
    case 'nullable':
    case 'default':
      return changeOf(def.innerType)
    default:
      return same
  }
}

function listChange(change: Change): Change {
  if (change === same) return same
  return (value, base) => (Array.isArray(value) ? value.map((item) => change(item, base)) : value)
}

function objectChange(shape: Readonly<Record<string, z.core.$ZodType>>): Change {
  const fields = Object.entries(shape)
    .map(([key, schema]) => [key, changeOf(schema)] as const)
    .filter(([, change]) => change !== same)
  if (fields.length === 0) return same
  return (value, base) => {
    if (typeof value !== 'object' || value === null) return value
    const copy: Record<string, unknown> = { ...value }
    for (const [key, change] of fields) if (key in copy) copy[key] = change(copy[key], base)
    return copy
  }
}

/** Returns `http://HOST:PORT` for a listening address, with brackets around an IPv6 literal. */
export function listeningOrigin(host: string, port: number | string): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
