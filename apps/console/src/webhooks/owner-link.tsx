import type { Webhook } from '@reticle/sdk'
import { Link } from 'wouter'

/** Links to the project of a webhook, or names its organization. */
export function OwnerLink({ webhook: { type, project_id } }: { webhook: Webhook }) {
  if (type === 'organization' || project_id === null) return <>the organization</>
  return <Link href={`/projects/${project_id}`}>project {project_id}</Link>
}
