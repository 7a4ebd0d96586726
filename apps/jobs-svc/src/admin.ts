import { runServiceOps } from '@reticle/kit/ops/service'
import { environment } from '@reticle/kit/settings/config'
import { schema } from './index.ts'

/** Entry point `node apps/jobs-svc/dist/admin.js`: the operator's commands for this service in a cluster. */
const service = { service: 'jobs-svc', schema, sealed: [] }
process.exitCode = await runServiceOps(service, environment, process.argv.slice(2))
