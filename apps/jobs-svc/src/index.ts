/** The front door of jobs-svc: its API process (`startJobs`) and its workers (`startWorker`). */
export { processParts, readConfig } from './config.ts'
export { migrations } from './db/migrations/index.ts'
export type { RequestsDb } from './db/schema.ts'
export { type JobsPorts, schema, startJobs } from './jobs.ts'
export { endLeases } from './leases/lease.ts'
export { requestRules } from './requests/policy.ts'
export type { Wired } from './worker/serve-conversions.ts'
export { startWorker } from './worker/start.ts'
