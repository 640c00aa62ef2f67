/* Who owns a scenario: lease, claim, move and resume, as docs/decisions/0003-who-owns-a-scenario.md
 * decides and src/federation does it. README.md says what is assumed and what is proved.
 *
 * Two processes of the client run the same command for one experiment of one scenario with M months,
 * over three daemons. Daemons 0 and 1 see the same data folder, daemon 2 has one of its own. At any
 * moment, as often as the budgets allow: a daemon is killed, alone or with its machine, and comes
 * back or does not; the client's clock steps, so that it takes a healthy daemon for lost; a client is
 * killed; a scenario moves.
 *
 * An atomic step is what no other process can see the middle of. Two writes of one process of which
 * others see only the second are one step, and a kill between them is a step of its own.
 *
 * Variants that are broken on purpose: NO_CLAIM (a daemon does not read the claim), RENAME_OVER (a
 * rename replaces a month), JOURNAL_LATE (the client submits before it writes down the request),
 * NO_LOCK (two clients work on one experiment), KEEP_LOST (what a lost daemon has is given to no
 * other).
 */

#ifndef M
#define M 2 /* months, at most 3 */
#endif
#ifndef R
#define R 4 /* requests, 1..R-1: what would need more is not looked at */
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef CLOCK_STEPS
#define CLOCK_STEPS 1
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef MOVES
#define MOVES 1
#endif

#define FOLDER(d) ((d) == 2)
#define ALL ((1 << M) - 1)
#define HAS(f, m) (months[f] & (1 << ((m) - 1)))
#define LAST(f) (HAS(f, 3) -> 3 : (HAS(f, 2) -> 2 : (HAS(f, 1) -> 1 : 0)))

byte losses = LOSSES;
byte clock_steps = CLOCK_STEPS;
byte kills = KILLS;
byte moves = MOVES;

/* On disk, in the data folders. A claim is the name of a request. */
byte claim[2];
byte months[2]; /* a bit for each month that has its name */

/* Of a request at its daemon: not in its journal, or in this state there. */
#define UNKNOWN 0
#define ACTIVE 1
#define CANCELLED 2
#define DONE 3

/* What a daemon is in the middle of, for a request; forgotten when it is killed. */
#define NOTHING 0
#define FOUND 1       /* submit: knows which months are there, and will write the claim */
#define MAY_START 2   /* has read its claim, and will start a month */
#define MAY_PUBLISH 3 /* has read its claim, and will rename the month */

typedef Request {
  /* The client's journal. */
  byte name;
  byte daemon;
  byte first; /* month */
  bool is_lost;
  bool is_told;
  bool is_leaving;
  /* The daemon's journal. */
  byte known;
  bool is_cancelled;
  byte done;
  byte step;    /* the month that runs, or has ended and was not heard of; 0: none */
  bool is_gone; /* that month was stopped, or went with its machine */
  /* The daemon's memory. */
  byte at;
  byte found;
  /* For the proofs: what it did after its claim was overwritten. */
  byte late_starts;
  byte late_months;
};
Request r[R];

bool is_up[3] = 1;
bool comes_back[3];

/* The client's journal. */
byte last;    /* number of requests */
byte current; /* the request that has the scenario; 0: none */
bool is_over;

byte slots; /* of r that are used; equal to `last`, except in broken variants */
byte lock;  /* the client that has it; 0: none */

#define HERE FOLDER(r[i].daemon)
#define WORKS (!is_over && is_up[r[i].daemon])

#ifdef NO_CLAIM
#define OWNS 1
#else
#define OWNS (claim[HERE] == r[i].name)
#endif
#ifdef NO_LOCK
#define CLIENT_LIVES 1
#else
#define CLIENT_LIVES (lock != 0)
#endif

/* The request is cancelled, and nothing of it runs: the rest of what is known of it is forgotten, so
 * that there are fewer states. */
inline close() {
  r[i].known = CANCELLED;
  r[i].is_cancelled = 1;
  r[i].is_told = 1;
  r[i].is_leaving = 0;
  r[i].is_gone = 0;
  r[i].first = 0;
  r[i].done = 0;
  r[i].step = 0;
  r[i].at = NOTHING;
  r[i].late_starts = 0;
  r[i].late_months = 0;
  if
  :: i != current -> r[i].daemon = 0; r[i].is_lost = 0
  :: else
  fi
}

/* A daemon is killed, alone or with its machine, and comes back or does not. */
inline crash(which) {
  d = which;
  losses--;
  is_up[d] = 0;
  if
  :: comes_back[d] = 1
  :: skip
  fi;
  if
  :: with_machine = 1
  :: skip
  fi;
  for (j : 1 .. R - 1) {
    if
    :: r[j].name != 0 && r[j].daemon == d ->
       r[j].at = NOTHING;
       r[j].found = 0;
       r[j].is_gone = r[j].is_gone || (with_machine && r[j].step > 0)
    :: else
    fi
  }
  with_machine = 0;
  d = 0;
  j = 0
}

/* A daemon is chosen that holds the most months of those that answer. */
inline choose() {
  most = (is_up[0] || is_up[1] -> LAST(0) : 0);
  most = (is_up[2] && LAST(1) > most -> LAST(1) : most);
  if
  :: is_up[0] && LAST(0) == most -> to = 0
  :: slots > 0 && is_up[1] && LAST(0) == most -> to = 1 /* before that, 1 is as 0 */
  :: is_up[2] && LAST(1) == most -> to = 2
  fi;
  slots++;
  mine = slots;
  r[mine].name = last + 1;
  r[mine].daemon = to;
  r[mine].first = (most >= M -> M : most + 1);
  most = 0;
  to = 0
}

/* The request is in the client's journal. */
inline write_down() {
  last++;
  current = mine;
  mine = 0
}

proctype Client(byte me) {
  byte most, to, mine;
#ifndef NO_LOCK
  atomic { lock == 0 -> lock = me }
#endif
  do
  :: atomic { is_over || (current == 0 && slots == R - 1) -> lock = 0; break }
  :: atomic { !is_over && kills > 0 && me == 1 -> kills--; lock = 0; break }
#if defined(JOURNAL_LATE) || defined(NO_LOCK)
  :: atomic { !is_over && current == 0 && slots < R - 1 -> choose() }
     atomic {
       if
       :: kills > 0 && me == 1 -> kills--; lock = 0; mine = 0; break
       :: write_down()
       fi
     }
#else
  :: atomic { !is_over && current == 0 && slots < R - 1 -> choose(); write_down() }
#endif
  /* An answer to `watch`. */
  :: atomic {
       !is_over && current != 0 && is_up[r[current].daemon] && r[current].known == CANCELLED ->
       r[current].daemon = 0;
       current = 0
     }
  :: atomic {
       !is_over && current != 0 && is_up[r[current].daemon] && r[current].known == DONE ->
       assert(months[FOLDER(r[current].daemon)] == ALL);
       is_over = 1
     }
  /* No answer for so long that the daemon is lost; or the clock has stepped. */
  :: atomic {
       !is_over && current != 0 && !r[current].is_lost &&
       (!is_up[r[current].daemon] || clock_steps > 0) ->
       clock_steps = (is_up[r[current].daemon] -> clock_steps - 1 : clock_steps);
       r[current].is_lost = 1;
#ifndef KEEP_LOST
       current = 0
#endif
     }
  /* A scenario moves: its daemon is asked to release it. */
  :: atomic {
       !is_over && current != 0 && moves > 0 && r[current].known == ACTIVE &&
       !r[current].is_leaving ->
       moves--;
       r[current].is_leaving = 1
     }
  od
}

/* What a daemon does for request i. Nothing is looked at after the end: it would be as before. */
proctype Daemon(byte i) {
  byte d, j;
  bool with_machine;
end:
  do
  /* A submit arrives, however late: looks at the months. What it knows already changes nothing. */
  :: atomic {
       r[i].name != 0 && WORKS && r[i].known == UNKNOWN && r[i].at == NOTHING ->
       assert(r[i].first == 1 || HAS(HERE, r[i].first - 1));
       r[i].found = r[i].first - 1;
       do
       :: r[i].found < M && HAS(HERE, r[i].found + 1) -> r[i].found++
       :: else -> break
       od;
       r[i].at = FOUND
     }
  /* Writes the claim and its journal; or is killed in between. */
  :: atomic {
       !is_over && r[i].at == FOUND ->
       claim[HERE] = r[i].name;
       if
       :: r[i].done = r[i].found;
          r[i].found = 0;
          r[i].known = (r[i].done == M -> DONE : ACTIVE);
          r[i].at = NOTHING
       :: losses > 0 -> d = r[i].daemon; crash(d)
       fi
     }
  /* A cancel arrives: of a daemon that was lost, or of a scenario that moves. */
  :: atomic {
       CLIENT_LIVES && WORKS && r[i].at == NOTHING && !r[i].is_cancelled &&
       ((r[i].is_lost && !r[i].is_told) || (r[i].is_leaving && r[i].known == ACTIVE)) ->
       r[i].is_told = 1;
       if
       :: r[i].known == ACTIVE ->
          r[i].is_cancelled = 1;
          if
          :: r[i].step == 0 -> close()
          :: r[i].step > 0 -> r[i].is_gone = 1
          :: r[i].step > 0 -> skip /* it has ended just before */
          fi
       :: else
       fi
     }
  /* Starts the next month, if the claim is its own. */
  :: atomic {
       WORKS && r[i].known == ACTIVE && !r[i].is_cancelled && r[i].step == 0 &&
       r[i].at == NOTHING ->
       if
       :: OWNS -> r[i].at = MAY_START
       :: else -> close()
       fi
     }
  :: atomic {
       !is_over && r[i].at == MAY_START ->
       r[i].step = r[i].done + 1;
       r[i].at = NOTHING;
       assert(r[i].step == 1 || HAS(HERE, r[i].step - 1));
       if
       :: claim[HERE] != r[i].name -> r[i].late_starts++; assert(r[i].late_starts <= 1)
       :: else
       fi
     }
  /* Hears that the month has ended, and looks at the claim once more. */
  :: atomic {
       WORKS && r[i].step > 0 && !r[i].is_gone && r[i].at == NOTHING ->
       if
       :: OWNS -> r[i].at = MAY_PUBLISH
       :: else -> close()
       fi
     }
  /* Renames, and writes its journal; or is killed in between. */
  :: atomic {
       !is_over && r[i].at == MAY_PUBLISH ->
       if
#ifndef RENAME_OVER
       :: HAS(HERE, r[i].step) -> skip /* the rename fails, and the work is thrown away */
       :: else ->
#else
       ::
#endif
          assert(!HAS(HERE, r[i].step));
          months[HERE] = months[HERE] | (1 << (r[i].step - 1));
          if
          :: claim[HERE] != r[i].name -> r[i].late_months++; assert(r[i].late_months <= 1)
          :: else
          fi
       fi;
       if
       :: r[i].done = r[i].step;
          r[i].step = 0;
          r[i].at = NOTHING;
          if
          :: r[i].is_cancelled -> close()
          :: !r[i].is_cancelled && r[i].done == M -> r[i].known = DONE
          :: else
          fi
       :: losses > 0 -> d = r[i].daemon; crash(d)
       fi
     }
  /* A month that is gone is tried again, unless it was cancelled. */
  :: atomic {
       WORKS && r[i].is_gone && r[i].at == NOTHING ->
       r[i].step = 0;
       r[i].is_gone = 0;
       if
       :: r[i].is_cancelled -> close()
       :: else
       fi
     }
  od
}

proctype Fate() {
  byte d, j;
  bool with_machine;
end:
  do
  :: atomic { losses > 0 && !is_over && current != 0 -> crash(0) }
  :: atomic { losses > 0 && !is_over && current != 0 -> crash(1) }
  :: atomic { losses > 0 && !is_over && current != 0 -> crash(2) }
  :: atomic { !is_over && comes_back[0] -> is_up[0] = 1; comes_back[0] = 0 }
  :: atomic { !is_over && comes_back[1] -> is_up[1] = 1; comes_back[1] = 0 }
  :: atomic { !is_over && comes_back[2] -> is_up[2] = 1; comes_back[2] = 0 }
  od
}

/* Two requests that are worked on never have one name: both would own the scenario. */
#define WORKED_ON(k) (r[k].known == ACTIVE && !r[k].is_cancelled)
#define TWINS(a, b) (WORKED_ON(a) && WORKED_ON(b) && r[a].name == r[b].name)

active proctype OneOwner() {
end:
  atomic { TWINS(1, 2) || TWINS(1, 3) || TWINS(2, 3) -> assert(false) }
}

init {
  byte i;
  atomic {
    for (i : 1 .. R - 1) {
      run Daemon(i)
    }
    i = 0;
    run Client(1);
    run Client(2);
    run Fate()
  }
}
