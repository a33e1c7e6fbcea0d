// cards: cards.csv → the parameters of the cards that times are modelled for.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// A card's parameters by name, all of kParameters. speedup_error: a quotient of two modelled times is right up to this
// factor, from one rung to the next, where both were measured.
struct Card {
  std::string name;
  std::map<std::string, double, std::less<>> parameters;
  double operator[](std::string_view parameter) const;  // throws std::out_of_range
};

// A head, then a line card,parameter,value,source for each parameter. The card "all" stands for every card that has no
// line of its own for the parameter. Throws std::runtime_error that names the line or the parameter that is wrong.
std::vector<Card> read_cards(std::string_view csv);
const std::vector<Card>& cards();  // those of cards.csv, in its order

}  // namespace lockstep
