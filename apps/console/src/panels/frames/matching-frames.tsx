import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { FrameGrid } from './frame-grid.tsx'
import { Tile, type TilePosition } from './tile.tsx'

interface Props {
  task: number
  search: string
}

const together = 100
const inputOf = ({ task: task_id, search }: Props, index: number) => ({
  task_id,
  search,
  page: Math.floor(index / together) + 1,
  page_size: together,
})

/** Renders a grid of frames whose file names match a search; pages are loaded when they become visible. */
export function MatchingFrames(props: Props) {
  const { data, error } = useAnswer(api.listFrames, inputOf(props, 0), { keeps: true })
  if (error) return <Failure error={error} />
  if (!data) return <Loading />
  if (data.count === 0) return <Empty>No frame has a file name with “{props.search}” in it.</Empty>
  return (
    <>
      <p className="hint" role="status">
        {data.count.toLocaleString()} found
      </p>
      <FrameGrid
        name="Found frames"
        count={data.count}
        tile={(position) => <MatchingTile key={position.index} {...props} {...position} />}
      />
    </>
  )
}

function MatchingTile({ task, search, ...position }: Props & TilePosition) {
  const input = inputOf({ task, search }, position.index)
  const { data } = useAnswer(api.listFrames, input, { enabled: !position.isWaiting })
  const frame = data?.results[position.index % together]
  if (!frame) return <li data-index={position.index} aria-busy="true" />
  const src = `/api/tasks/${task}/data?type=preview&number=${frame.frame}`
  const href = `/tasks/${task}/frames/${frame.frame}`
  return <Tile {...position} number={frame.frame} name={frame.name} src={src} href={href} />
}
