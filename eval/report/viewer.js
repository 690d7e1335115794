// The replay viewer of a report: draws what lies in #viewer-games and steps through it. It knows no rules.
(function () {
  'use strict';
  const viewer = document.getElementById('viewer');
  const games = JSON.parse(document.getElementById('viewer-games').textContent);
  if (!viewer || games.length === 0) return;

  const find = (selector) => viewer.querySelector(selector);
  const board = find('svg.board');
  const graph = find('svg.value-graph');
  const select = find('select');
  const likely = find('input[type=checkbox]');
  const list = find('.moves');
  const play = find('[data-step=play]');
  const namespace = board.namespaceURI;
  const square = 40, margin = 18, top = 4;
  let game = games[0], ply = 0, timer = 0;

  function draw(parent, name, attributes, text) {
    const element = document.createElementNS(namespace, name);
    for (const key of Object.keys(attributes)) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  }
  const columnOf = (at) => at % game.size;
  const rowOf = (at) => Math.floor(at / game.size);
  const centreX = (at) => margin + square * (columnOf(at) + 0.5);
  const centreY = (at) => top + square * (rowOf(at) + 0.5);

  function clear(svg) {
    while (svg.lastElementChild && svg.lastElementChild.tagName !== 'title') svg.lastElementChild.remove();
  }

  // Lines through the runs of one colour that score, along rows and columns.
  function drawRuns(cells, colour) {
    for (const step of [1, game.size]) {
      for (let line = 0; line < game.size; ++line) {
        const start = step === 1 ? line * game.size : line;
        let length = 0;
        for (let k = 0; k <= game.size; ++k) {
          if (k < game.size && cells[start + k * step] === colour) {
            ++length;
            continue;
          }
          if (length > 0 && game.runs[length - 1] > 0) {
            const from = start + (k - length) * step, to = start + (k - 1) * step;
            draw(board, 'line', {
              class: 'run ' + (colour === 'w' ? 'of-white' : 'of-black'),
              x1: centreX(from), y1: centreY(from), x2: centreX(to), y2: centreY(to)
            });
          }
          length = 0;
        }
      }
    }
  }

  function drawPolicy(policy) {
    const most = Math.max(0, ...policy.map((entry) => entry[1]));
    for (const [at, share] of policy) {
      if (at < 0 || share <= 0) continue;
      draw(board, 'rect', {
        class: 'heat', x: centreX(at) - square / 2 + 1, y: centreY(at) - square / 2 + 1,
        width: square - 2, height: square - 2, rx: 4, 'fill-opacity': (share / most).toFixed(3)
      });
      if (share >= 0.005) {
        draw(board, 'text', { class: 'share', x: centreX(at), y: centreY(at) + 4.5 }, Math.round(100 * share));
      }
    }
  }

  function drawBoard() {
    const size = game.size, extent = size * square, cells = game.boards[ply];
    clear(board);
    board.setAttribute('viewBox', '0 0 ' + (margin + extent + 4) + ' ' + (extent + 4 + margin));
    draw(board, 'rect', { class: 'frame', x: margin - 2, y: 2, width: extent + 4, height: extent + 4, rx: 6 });
    for (let at = 0; at < cells.length; ++at) {
      draw(board, 'rect', {
        class: cells[at] === 'x' ? 'hole' : 'square', x: centreX(at) - square / 2 + 1,
        y: centreY(at) - square / 2 + 1, width: square - 2, height: square - 2, rx: 4
      });
    }
    for (let k = 0; k < size; ++k) {
      draw(board, 'text', { class: 'coordinate', x: margin / 2, y: top + square * (k + 0.5) + 4 }, size - k);
      draw(board, 'text', { class: 'coordinate', x: margin + square * (k + 0.5), y: top + extent + 13 },
        String.fromCharCode(97 + k));
    }
    if (likely.checked && game.plies[ply]) drawPolicy(game.plies[ply].policy);
    for (let at = 0; at < cells.length; ++at) {
      if (cells[at] !== 'w' && cells[at] !== 'b') continue;
      draw(board, 'circle', {
        class: 'stone ' + (cells[at] === 'w' ? 'white' : 'black'), cx: centreX(at), cy: centreY(at), r: 15
      });
    }
    drawRuns(cells, 'w');
    drawRuns(cells, 'b');
    const last = ply > 0 ? game.moves[ply - 1] : null;
    if (last && last[1] >= 0) draw(board, 'circle', { class: 'last', cx: centreX(last[1]), cy: centreY(last[1]), r: 5 });
    board.querySelector('title').textContent =
      'Board after ' + ply + ' moves' + (last ? ', the last one ' + last[0] : '');
  }

  // The value at a ply for White; at the end of a finished game the result itself.
  function valueAt(at) {
    if (at === game.moves.length && game.over) {
      return { value: Math.sign(game.points[at][0] - game.points[at][1]), solved: true };
    }
    return game.plies[at] || { value: null, solved: false };
  }

  function drawGraph() {
    clear(graph);
    const last = game.moves.length;
    const x = (at) => 2 + 296 * at / Math.max(1, last);
    const y = (value) => 32 - 28 * value;
    draw(graph, 'rect', { class: 'ground', x: 0, y: 0, width: 300, height: 64, rx: 4 });
    draw(graph, 'line', { class: 'axis', x1: 2, y1: 32, x2: 298, y2: 32 });
    const points = [];
    for (let at = 0; at <= last; ++at) {
      const value = valueAt(at).value;
      if (value !== null) points.push(x(at).toFixed(1) + ',' + y(value).toFixed(1));
    }
    if (points.length > 1) draw(graph, 'polyline', { class: 'line', points: points.join(' ') });
    draw(graph, 'line', { class: 'cursor', x1: x(ply), y1: 2, x2: x(ply), y2: 62 });
    graph.toggleAttribute('hidden', points.length < 2);
  }

  function drawValue() {
    const { value, solved } = valueAt(ply);
    find('.value').hidden = value === null;
    if (value === null) return;
    find('.value-white').style.width = (50 * (value + 1)).toFixed(1) + '%';
    const end = ply === game.moves.length && game.over;
    find('.value-text').textContent = end
      ? (value > 0 ? 'White has won' : value < 0 ? 'Black has won' : 'A draw')
      : 'expected result for White ' + (value >= 0 ? '+' : '−') + Math.abs(value).toFixed(2) + (solved ? ', proven' : '');
  }

  function show() {
    drawBoard();
    drawGraph();
    drawValue();
    find('.white-points').textContent = game.points[ply][0];
    find('.black-points').textContent = game.points[ply][1];
    const next = game.moves[ply];
    find('.status').textContent = next
      ? 'Move ' + (ply + 1) + ' of ' + game.moves.length + ': ' + (next[2] === 'w' ? 'White' : 'Black') + ' plays ' + next[0]
      : 'The end, after ' + game.moves.length + ' moves';
    for (const item of list.children) {
      const current = Number(item.dataset.ply) === ply;
      item.classList.toggle('current', current);
      if (current) {
        // Only the list itself may scroll, never the page.
        list.scrollTop = Math.max(0, item.offsetTop - list.offsetTop - list.clientHeight / 2);
      }
    }
  }

  function go(to) {
    ply = Math.max(0, Math.min(game.moves.length, to));
    show();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = '▶';
    play.setAttribute('aria-label', 'play');
  }

  function start() {
    if (ply === game.moves.length) go(0);
    timer = setInterval(() => {
      go(ply + 1);
      if (ply === game.moves.length) stop();
    }, 700);
    play.textContent = '‖';
    play.setAttribute('aria-label', 'pause');
  }

  function load(number) {
    stop();
    game = games[number];
    find('.white-name').textContent = game.white;
    find('.black-name').textContent = game.black;
    list.textContent = '';
    game.moves.forEach((move, k) => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      item.dataset.ply = k + 1;
      button.type = 'button';
      button.className = move[2] === 'w' ? 'white' : 'black';
      button.textContent = move[0];
      button.addEventListener('click', () => { stop(); go(k + 1); });
      item.appendChild(button);
      list.appendChild(item);
    });
    go(0);
  }

  const steps = { first: () => 0, back: () => ply - 1, next: () => ply + 1, last: () => game.moves.length };
  for (const button of viewer.querySelectorAll('[data-step]')) {
    button.addEventListener('click', () => {
      const running = timer !== 0;
      stop();
      if (button === play) {
        if (!running) start();
      } else {
        go(steps[button.dataset.step]());
      }
    });
  }
  graph.addEventListener('click', (event) => {
    const box = graph.getBoundingClientRect();
    stop();
    go(Math.round((event.clientX - box.left) / box.width * game.moves.length));
  });
  likely.addEventListener('change', drawBoard);
  games.forEach((entry, k) => {
    const option = document.createElement('option');
    option.value = k;
    option.textContent = entry.name;
    select.appendChild(option);
  });
  select.addEventListener('change', () => load(Number(select.value)));

  const keys = { ArrowLeft: 'back', ArrowRight: 'next', Home: 'first', End: 'last' };
  document.addEventListener('keydown', (event) => {
    const step = keys[event.key];
    const inside = viewer.contains(event.target);
    if (!step || event.altKey || event.ctrlKey || event.metaKey || event.target === select) return;
    // Elsewhere on the page the arrows work while the viewer can be seen and nothing else wants them.
    if (!inside) {
      const box = viewer.getBoundingClientRect();
      const seen = box.bottom > 0 && box.top < window.innerHeight;
      if (!seen || event.target !== document.body || step === 'first' || step === 'last') return;
    }
    event.preventDefault();
    stop();
    go(steps[step]());
  });

  viewer.hidden = false;
  load(0);
})();
