import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { useAnswer } from '../api/queries.ts'

const everything = '*'

/** Renders a menu to select the workspace of lists and new objects. */
export function OrganizationSwitch() {
  const { organization, choose } = useOrganization()
  const { data } = useAnswer(api.listOrganizations, { page_size: 100 })
  const slugs = data?.results.map(({ slug }) => slug) ?? []
  const isElsewhere = organization && !slugs.includes(organization)
  return (
    <label className="switch">
      <span className="hidden">Workspace</span>
      <select
        value={organization ?? everything}
        onChange={({ target }) => choose(target.value === everything ? undefined : target.value)}
      >
        <option value={everything}>Everything</option>
        <option value="">Personal</option>
        {isElsewhere && <option value={organization}>{organization}</option>}
        {slugs.map((slug) => (
          <option key={slug}>{slug}</option>
        ))}
      </select>
    </label>
  )
}
