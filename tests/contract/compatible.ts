import { z } from 'zod'

/**
 * Returns what a client of an interface would miss in a later one. Such a change needs a new major version. More
 * operations, more answers and more optional input are compatible.
 */

type Json = Record<string, unknown>
type Way = 'sent' | 'answered'

const record = z.record(z.string(), z.unknown())
const asRecord = (value: unknown): Json => record.safeParse(value).data ?? {}
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const words = (value: unknown) => asList(value).map(String)

export function findIncompatibilities(before: Json, after: Json): string[] {
  return callsOf(before).flatMap(([name, call]) => {
    const found = callsOf(after).find(([other]) => other === name)?.[1]
    if (!found) return [`${name} is gone`]
    const compare = comparing(before, after)
    return [
      ...parameters(call, found),
      ...compare(bodyOf(call), bodyOf(found), 'sent', 'the body'),
      ...answers(call, found, compare),
    ].map((one) => `${name}: ${one}`)
  })
}

function callsOf({ paths }: Json): [string, Json][] {
  return Object.entries(asRecord(paths)).flatMap(([path, methods]) =>
    Object.entries(asRecord(methods)).map(([method, call]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      asRecord(call),
    ]),
  )
}

function parameters(before: Json, after: Json): string[] {
  const [known, now] = [before, after].map((call) => asList(call.parameters).map(asRecord))
  const named = (list: Json[] | undefined, { name, in: location }: Json) =>
    list?.find((one) => one.name === name && one.in === location)
  const lost = (known ?? []).filter((one) => !named(now, one))
  const needed = (now ?? []).filter((one) => one.required && !named(known, one)?.required)
  return [
    ...lost.map(({ name }) => `the parameter ${name} is gone`),
    ...needed.map(({ name }) => `the parameter ${name} is needed now`),
  ]
}

const contentOf = (value: unknown) => {
  const [first] = Object.values(asRecord(asRecord(value).content))
  return asRecord(asRecord(first).schema)
}
const bodyOf = ({ requestBody }: Json) => contentOf(requestBody)

type Compare = (before: Json, after: Json, way: Way, where: string) => string[]

function answers(before: Json, after: Json, compare: Compare): string[] {
  const now = asRecord(after.responses)
  return Object.entries(asRecord(before.responses)).flatMap(([status, answer]) => {
    if (!status.startsWith('2')) return []
    if (!(status in now)) return [`it answers no ${status} any more`]
    return compare(contentOf(answer), contentOf(now[status]), 'answered', `the answer ${status}`)
  })
}

function comparing(before: Json, after: Json): Compare {
  const seen = new Set<string>()
  const compare: Compare = (given, found, way, where) => {
    const pair = `${way} ${given.$ref} ${found.$ref}`
    if (given.$ref && seen.has(pair)) return []
    seen.add(pair)
    const [old, now] = [resolved(before, given), resolved(after, found)]
    const inside = Object.entries(asRecord(old.properties)).flatMap(([name, one]) => {
      const other = asRecord(now.properties)[name]
      return other ? compare(asRecord(one), asRecord(other), way, `${where}.${name}`) : []
    })
    const items = old.items && now.items
    return [
      ...typeChange(old, now, way, where),
      ...keysChange(old, now, way, where),
      ...inside,
      ...(items ? compare(asRecord(old.items), asRecord(now.items), way, `${where}[]`) : []),
    ]
  }
  return compare
}

function resolved({ components }: Json, schema: Json): Json {
  if (typeof schema.$ref !== 'string') return schema
  const name = schema.$ref.split('/').at(-1) ?? ''
  return asRecord(asRecord(asRecord(components).schemas)[name])
}

/** Types of answers may become narrower, and types of input wider. */
function typeChange(before: Json, after: Json, way: Way, where: string): string[] {
  const [old, now] = [before, after].map(({ type }) => new Set([type].flat().filter(Boolean)))
  if (!old?.size || !now?.size) return []
  const [few, many] = way === 'sent' ? [old, now] : [now, old]
  const isKept = [...few].every(
    (type) => many.has(type) || (type === 'integer' && many.has('number')),
  )
  const removed =
    way === 'sent' && after.enum
      ? words(before.enum).filter((one) => !words(after.enum).includes(one))
      : []
  return [
    ...(isKept ? [] : [`${where} is ${[...now].join(' or ')}, not ${[...old].join(' or ')}`]),
    ...removed.map((word) => `${where} may not be ${word} any more`),
  ]
}

function keysChange(before: Json, after: Json, way: Way, where: string): string[] {
  const [old, now] = [words(before.required), words(after.required)]
  if (way === 'answered')
    return old.filter((key) => !now.includes(key)).map((key) => `${where} has not always ${key}`)
  const keys = Object.keys(asRecord(after.properties))
  const refused =
    after.additionalProperties === false ? Object.keys(asRecord(before.properties)) : []
  return [
    ...now.filter((key) => !old.includes(key)).map((key) => `${where} needs ${key}`),
    ...refused.filter((key) => !keys.includes(key)).map((key) => `${where} refuses ${key}`),
  ]
}
