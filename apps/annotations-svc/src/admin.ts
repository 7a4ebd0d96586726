import { runServiceOps } from '@reticle/kit/ops/service'
import { environment } from '@reticle/kit/settings/config'
import { schema } from './index.ts'

/**
 * Entry point of the operator's commands for this service in a cluster: `node apps/annotations-svc/dist/admin.js`.
 */
const service = { service: 'annotations-svc', schema, sealed: [] }
process.exitCode = await runServiceOps(service, environment, process.argv.slice(2))
