import { openDatabase } from '@reticle/kit/db/connect'
import { afterAll } from 'vitest'
import { z } from 'zod'
import type { AnnotationsDb } from '../db/schema.ts'

/** Node of a plan as `auto_explain` reports it; counts are per loop. */
interface PlanNode {
  'Node Type': string
  'Relation Name'?: string | undefined
  'Index Name'?: string | undefined
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number | undefined
  'Rows Removed by Join Filter'?: number | undefined
  'Rows Removed by Index Recheck'?: number | undefined
  'Index Searches'?: number | undefined
  Plans?: PlanNode[] | undefined
}

const planNode: z.ZodType<PlanNode> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    'Index Name': z.string().optional(),
    'Actual Rows': z.number().default(0),
    'Actual Loops': z.number().default(0),
    'Rows Removed by Filter': z.number().optional(),
    'Rows Removed by Join Filter': z.number().optional(),
    'Rows Removed by Index Recheck': z.number().optional(),
    'Index Searches': z.number().optional(),
    Plans: z.array(planNode).optional(),
  }),
)
const report = z.object({ 'Query Text': z.string(), Plan: planNode })

/** A statement that was executed, and the number of table rows that it read. */
export interface ExecutedStatement {
  text: string
  visited: number
  /** Plan nodes, for the message of a failed test. */
  outline: string
}

const settings = `load 'auto_explain'; set client_min_messages = notice;
  set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on; set auto_explain.log_timing = off;
  set auto_explain.log_format = json; set auto_explain.log_level = notice`

/**
 * Opens the pools of the service as its processes do, on a server that reports the plan of every executed statement,
 * including cached plans.
 */
export function openExplained(url: string) {
  const ran: ExecutedStatement[] = []
  const pools = (['generic', 'keys'] as const).map((plans) => {
    const options = { application: `plans ${plans}`, search_path: ['annotations'], plans }
    const database = openDatabase<AnnotationsDb>(url, {
      ...options,
      max: 2, // few, so that calls reuse plans of earlier calls; ids are taken outside the transaction
      statement_timeout: 600_000,
      wait_timeout: 60_000,
    })
    database.pool.on('connect', (client) => {
      client.on('notice', ({ message = '' }) => {
        const [, json] = /^duration: .*? plan:\s*(\{.*\})\s*$/s.exec(message) ?? []
        if (json) ran.push(ranOf(JSON.parse(json)))
      })
      void client.query(settings)
    })
    return database
  })
  afterAll(() => Promise.all(pools.map((one) => one.close())))
  const [few, many] = pools
  if (!few || !many) throw new Error('there are two pools')
  return { db: few.db, bulk: many.db, takeRan: () => ran.splice(0) }
}

function ranOf(given: unknown): ExecutedStatement {
  const { 'Query Text': text, Plan: plan } = report.parse(given)
  return { text, visited: visitedBy(plan), outline: outlineOf(plan, 0) }
}

/** Counts rows read by table scans and row pairs discarded by joins. */
function visitedBy(node: PlanNode): number {
  const isTable = node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable'
  const own = isTable ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0
  const removed =
    (node['Rows Removed by Join Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const below = (node.Plans ?? []).reduce((sum, one) => sum + visitedBy(one), 0)
  return below + (own + removed) * node['Actual Loops']
}

function outlineOf(node: PlanNode, depth: number): string {
  if (node['Actual Loops'] === 0) return ''
  const { 'Relation Name': table, 'Index Name': index } = node
  const line = [node['Node Type'], index ?? table, visitedBy(node)].filter(Boolean).join(' ')
  const below = (node.Plans ?? []).map((one) => outlineOf(one, depth + 1))
  return `${' '.repeat(depth)}${line}\n${below.join('')}`
}
